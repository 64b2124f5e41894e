import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'

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
