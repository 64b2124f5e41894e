import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'

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
