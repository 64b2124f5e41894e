import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'

/** The running build; discloses nothing about the machine or its sources. */
export const Version = z
  .object({
    name: z.literal('passport'),
    version: z.string(),
    informationalVersion: z.string(),
    commit: z.nullable(z.string()),
    buildTime: z.nullable(Instant),
    stack: z.string(),
    apiVersions: z.array(z.string()),
  })
  .check(z.meta({ id: 'Version' }))
export type Version = z.infer<typeof Version>

/** Older clients use each of the three paths. */
const version = {
  summary: 'Get the running version',
  access: 'anyone',
  cacheControl: 'no-cache',
  conditional: true,
  returns: json(Version, { plainField: 'version' }),
} as const

export const getVersion = endpoint('GET', '/passport/info/version', version)
export const getInfoVersion = endpoint('GET', '/info/version', version)
export const getApiInfoVersion = endpoint('GET', '/api/info/version', version)
