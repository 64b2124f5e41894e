import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'

const Origins = z.array(z.string())
const caching = { cacheControl: 'public, max-age=300, stale-while-revalidate=600', conditional: true } as const

export const listCorsOrigins = endpoint('GET', '/cors/origins', {
  summary: 'List allowed CORS origins of this stack',
  access: 'anyone',
  ...caching,
  openToAllOrigins: true,
  returns: json(Origins),
})
export const listStackCorsOrigins = endpoint('GET', '/passport/stacks/{stack}/metadata/corsorigins', {
  summary: 'List allowed CORS origins of a named stack',
  access: 'anyone',
  ...caching,
  params: z.object({ stack: z.string().check(z.regex(/^[a-z0-9-]{1,40}$/)) }),
  returns: json(Origins),
  fails: [404],
})
