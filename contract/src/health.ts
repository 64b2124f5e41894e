import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant, Moment } from './instant.ts'

const Healthy = z.object({ status: z.literal('ok') })

/** Reports that the process responds, regardless of the state of its dependencies. */
export const getLiveness = endpoint('GET', '/healthz', {
  summary: 'Check liveness',
  access: 'anyone',
  returns: json(Healthy),
})
/** Reports that the process can serve: its database responds. */
export const getReadiness = endpoint('GET', '/readyz', {
  summary: 'Check readiness',
  access: 'anyone',
  returns: json(Healthy),
})

/** Slow: it works, but 95 % of its answers in 5 minutes took longer than `limitMs`. Off: not configured. */
const HealthStatus = z.enum(['ok', 'slow', 'down', 'off'])
export type HealthStatus = z.infer<typeof HealthStatus>

/** A part of the installation or a service that it depends on. */
const HealthCheck = z.object({
  /** `postgres`, `jobs`, `mail`, `idp:` and the id of a provider, `entra`, `aws-marketplace`, `aws-metering`, `aws-queues`, `meta`, `permissions`, `media`. */
  name: z.string(),
  status: HealthStatus,
  /** The last time that it took; null if it did not answer, or is off. */
  latencyMs: z.nullable(z.number()),
  limitMs: z.number(),
  /** A phrase without host names and credentials. */
  detail: z.nullable(z.string()),
  since: Instant,
})
export type HealthCheck = z.infer<typeof HealthCheck>

/** A server process. */
const Instance = z.object({
  id: z.string(),
  version: z.string(),
  commit: z.nullable(z.string()),
  startedAt: Instant,
  rssBytes: z.int(),
  /** The delay of timers, at its 99th percentile in the last 15 seconds. */
  eventLoopLagMs: z.number(),
})
export type Instance = z.infer<typeof Instance>

export const Health = z
  .object({
    /** Degraded if any check is slow or down. */
    status: z.enum(['ok', 'degraded']),
    /** Results are kept for 10 seconds. */
    checkedAt: Instant,
    checks: z.array(HealthCheck),
    /** Sentences about settings that work, and that an administrator should change. */
    warnings: z.array(z.string()),
    /** The servers that reported within the last minute, oldest first. */
    instances: z.array(Instance),
  })
  .check(z.meta({ id: 'Health' }))
export type Health = z.infer<typeof Health>

export const getHealth = endpoint('GET', '/passport/admin/health', {
  summary: 'Check everything that the installation depends on',
  description: 'Runs all checks at once, each for at most 3 seconds. Without the database the response is 503.',
  access: 'admin',
  polled: true,
  waitsForOthers: true,
  returns: json(Health),
})

/** The results of a check in one minute, or in half an hour. */
const HealthSample = z.object({
  /** The start of the period. */
  at: Instant,
  /** The worst in the period. */
  status: z.enum(['ok', 'slow', 'down']),
  /** The 95th percentile of the period; null if the check failed each time. */
  latencyMs: z.nullable(z.number()),
})
export type HealthSample = z.infer<typeof HealthSample>

export const listHealthSamples = endpoint('GET', '/passport/admin/health/{name}/samples', {
  summary: 'List the results of a check in the last 24 hours',
  description: 'One for each minute, or for each half hour. A period without a result is left out.',
  access: 'admin',
  polled: true,
  params: z.object({ name: z.string() }),
  query: z.object({
    /** The earliest sample; 24 hours ago by default. */
    from: z.optional(Moment),
    /** The length of the periods in minutes. */
    every: z._default(z.enum(['1', '30']), '1'),
  }),
  returns: json(z.object({ samples: z.array(HealthSample) })),
  fails: [404],
})

/** What all servers of the installation did in one hour. */
const ActivityHour = z.object({
  /** The start of the hour in UTC. */
  hour: Instant,
  requests: z.int(),
  /** Responses with a status of 400 or more. */
  errors: z.int(),
  /** The time within which 95 % of the requests were answered; null without any. */
  p95Ms: z.nullable(z.number()),
  signIns: z.object({ succeeded: z.int(), failed: z.int() }),
  /** Issued tokens: successful calls of the token endpoint. */
  tokens: z.int(),
  /** The largest number of sessions in use within an hour; null if no server counted them. */
  sessions: z.nullable(z.int()),
})
export type ActivityHour = z.infer<typeof ActivityHour>

/** The activity of all servers by hour. */
export const Activity = z
  .object({
    /** Every hour of the period with the current one, oldest first. */
    hours: z.array(ActivityHour),
    /** The failed sign-ins by the code of their reason, most frequent first. */
    failures: z.array(z.object({ reason: z.string(), count: z.int() })),
    /** Responses with a status of 400 or more by their code, or by their status without one; most frequent first. */
    errors: z.array(z.object({ code: z.string(), status: z.int(), count: z.int() })),
    /** The ten slowest routes by the 95th percentile, slowest first. Routes with fewer than 5 requests are left out. */
    routes: z.array(
      z.object({
        /** A method and the pattern of a path: `GET /passport/groups/{id}`. */
        route: z.string(),
        count: z.int(),
        errors: z.int(),
        p50Ms: z.number(),
        p95Ms: z.number(),
      }),
    ),
  })
  .check(z.meta({ id: 'Activity' }))
export type Activity = z.infer<typeof Activity>

export const getActivity = endpoint('GET', '/passport/admin/health/activity', {
  summary: 'Get the activity by hour',
  description:
    'Times are estimated from histograms. A time beyond the largest limit is returned as that limit, 2500 ms.',
  access: 'admin',
  polled: true,
  query: z.object({ days: z._default(z.enum(['1', '30']), '1') }),
  returns: json(Activity),
})
