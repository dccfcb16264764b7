"""A language model behind an endpoint that speaks OpenAI's protocol: named by its user, held to what it was asked."""
