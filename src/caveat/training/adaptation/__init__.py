"""A reader made better on somebody's own documents, with a language model as its teacher."""
