import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'

/**
 * A link by which the user of an account without a sign-in method sets a password. It works in the first browser that
 * opens it. Its URL is returned once, on creation, and is not stored.
 */
const EnrolmentLink = z
  .object({
    id: z.string(),
    createdAt: Instant,
    expiresAt: Instant,
    /** When a browser opened it; no other can use it since. */
    openedAt: z.nullable(Instant),
  })
  .check(z.meta({ id: 'EnrolmentLink' }))
export type EnrolmentLink = z.infer<typeof EnrolmentLink>

const CreatedEnrolmentLink = z
  .object({ ...EnrolmentLink.shape, url: z.url() })
  .check(z.meta({ id: 'CreatedEnrolmentLink' }))
export type CreatedEnrolmentLink = z.infer<typeof CreatedEnrolmentLink>

/** The reasons why an account gets no enrolment link, which are the codes of the problem. */
const EnrolmentObstacle = z.enum([
  'directory-off',
  'enrolment-has-sign-in',
  'enrolment-disabled',
  'enrolment-name-required',
])
export type EnrolmentObstacle = z.infer<typeof EnrolmentObstacle>

const Enrolment = z
  .object({
    /** Why no link can be created; null if one can. */
    obstacle: z.nullable(EnrolmentObstacle),
    /** The link that can be used now. */
    link: z.nullable(EnrolmentLink),
  })
  .check(z.meta({ id: 'Enrolment' }))
export type Enrolment = z.infer<typeof Enrolment>

const params = z.object({ userId: z.string() })

export const getEnrolment = endpoint('GET', '/passport/admin/users/{userId}/enrolmentlink', {
  summary: 'Get the enrolment link of a user',
  description: 'Says whether a link can be created, and which one can be used now, without its URL.',
  access: 'admin',
  params,
  returns: json(Enrolment),
  fails: [404],
})
export const createEnrolmentLink = endpoint('POST', '/passport/admin/users/{userId}/enrolmentlink', {
  summary: 'Create an enrolment link for a user',
  description:
    'By the link, the user of an account that never had a sign-in method sets a password in the built-in directory. It works once, in the first browser that opens it, for 24 hours, and replaces an earlier one. No email is sent. The URL is returned only here.',
  access: 'admin',
  recent: true,
  rateLimit: { requests: 200, perSeconds: 3600, by: 'caller' },
  params,
  returns: json(CreatedEnrolmentLink),
  creates: true,
  fails: [404, 409],
})
