"""What a document requires: its conditions as logic, settled one by one, each with a question to the asker."""
