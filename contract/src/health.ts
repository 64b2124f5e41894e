import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'

const Healthy = z.object({ status: z.literal('ok') })

/** The process answers; says nothing about what it depends on. */
export const getLiveness = endpoint('GET', '/healthz', {
  summary: 'Tell that the process is alive',
  access: 'anyone',
  returns: json(Healthy),
})
/** The process can serve: its database answers. */
export const getReadiness = endpoint('GET', '/readyz', {
  summary: 'Tell that the process can serve',
  access: 'anyone',
  returns: json(Healthy),
  fails: [503],
})
