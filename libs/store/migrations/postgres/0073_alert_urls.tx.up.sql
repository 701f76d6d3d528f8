-- Users of a tenant change the URL of a destination, which they cannot read. shown is the part that pages show.
GRANT UPDATE (url, shown) ON alert_destinations TO tollgate_tenant;
