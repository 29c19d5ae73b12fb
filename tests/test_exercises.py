"""The checks accept right answers and recognise the usual mistakes, each by its own words."""
