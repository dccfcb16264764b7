"""Questions on the tables of real files, with computed answers, in English and Chinese; no task here."""
