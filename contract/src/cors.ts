import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'
import { Instant } from './instant.ts'
import { findOriginError } from './origin.ts'
import { entity } from './request-body.ts'

export const maxCorsOrigins = 100
/** The most stacks with saved origins. */
export const maxCorsStacks = 50
/** An origin as browsers send it. */
const Origin = z.string().check(
  z.refine((text) => findOriginError(text) === undefined, {
    error: ({ input }) => findOriginError(String(input)),
    params: { code: 'origin-invalid' satisfies FieldCode },
  }),
)

/** The name of a stack. */
export const StackName = z.string().check(z.regex(/^[a-z0-9-]{1,40}$/))
const stackParams = z.object({ stack: StackName })

/** The origins of a stack. */
export const Origins = z.array(Origin).check(z.maxLength(maxCorsOrigins))
/** The origins that are allowed for a stack. Null resets them to the configuration. */
export const CorsFields = z.object({ origins: z.nullable(Origins) })

/** The allowed origins of a stack. */
export const CorsStack = z
  .object({
    stack: z.string(),
    /** The stack of this installation, whose origins browsers may call it from. */
    isOwn: z.boolean(),
    origins: z.array(z.string()),
    /** Whether an administrator saved them. */
    isSaved: z.boolean(),
    /** The origins of the configuration; null if it does not name the stack. */
    configured: z.nullable(z.array(z.string())),
    /** The ETag, which every change increments; 0 before the first. */
    revision: z.int(),
    updatedAt: z.nullable(Instant),
    updatedBy: z.nullable(z.object({ id: z.string(), name: z.string() })),
  })
  .check(z.meta({ id: 'CorsStack' }))
export type CorsStack = z.infer<typeof CorsStack>

export const listCorsStacks = endpoint('GET', '/passport/admin/cors', {
  summary: 'List stacks with their allowed origins',
  access: 'admin',
  returns: json(z.array(CorsStack)),
})
export const getCorsStack = endpoint('GET', '/passport/admin/cors/{stack}', {
  summary: 'Get the allowed origins of a stack',
  access: 'admin',
  params: stackParams,
  returns: json(CorsStack),
  conditional: true,
  fails: [404],
})
export const putCorsStack = endpoint('PUT', '/passport/admin/cors/{stack}', {
  summary: 'Replace the allowed origins of a stack',
  description:
    'Creates the stack if it is not known. Pages of these origins may call this stack with a token; they get no cookies, and are no redirect URIs.',
  access: 'admin',
  params: stackParams,
  body: entity(CorsFields),
  returns: json(CorsStack),
  conditional: true,
  fails: [404, 409],
})

const PublicOrigins = z.array(z.string())
const caching = { cacheControl: 'public, max-age=300, stale-while-revalidate=600', conditional: true } as const

export const listCorsOrigins = endpoint('GET', '/cors/origins', {
  summary: 'List allowed CORS origins of this stack',
  access: 'anyone',
  ...caching,
  openToAllOrigins: true,
  returns: json(PublicOrigins),
})
export const listStackCorsOrigins = endpoint('GET', '/passport/stacks/{stack}/metadata/corsorigins', {
  summary: 'List allowed CORS origins of a named stack',
  access: 'anyone',
  ...caching,
  params: stackParams,
  returns: json(PublicOrigins),
  fails: [404],
})
