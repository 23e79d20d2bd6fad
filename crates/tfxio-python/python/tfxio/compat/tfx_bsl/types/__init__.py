"""Types that several modules have."""
