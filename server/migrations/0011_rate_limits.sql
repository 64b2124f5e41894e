-- Counters that must hold across processes, in the shape that rate-limiter-flexible expects.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
