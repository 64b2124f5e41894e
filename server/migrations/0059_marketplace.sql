-- The row that is locked while events are matched with subscriptions, or a subscription is created.
create table aws_event_matching (id boolean primary key default true check (id));
insert into aws_event_matching default values;
