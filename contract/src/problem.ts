import * as z from 'zod/mini'

/** An error in a request; `field` is a path such as `members[2]`, or the name of a parameter. */
const FieldError = z.object({
  field: z.string(),
  code: z.string(),
  message: z.string(),
  /** The position of the error in a text, as line and column, both from 1. */
  line: z.exactOptional(z.int()),
  column: z.exactOptional(z.int()),
  /** With the code `cycle`: its usersets, such as `group:one#member`; the last one refers to the first. */
  circle: z.exactOptional(z.array(z.string())),
})
export type FieldError = z.infer<typeof FieldError>

/** An error response (RFC 9457) with a stable `code`; `errors` lists the invalid fields. */
export const Problem = z
  .object({
    /** The URL of the page that documents the code. */
    type: z.string(),
    /** The reason phrase of the status, for clients that show nothing else. */
    title: z.string(),
    status: z.int(),
    detail: z.optional(z.string()),
    instance: z.optional(z.string()),
    code: z.string(),
    traceId: z.string(),
    /** What a user gives to support, who find the request by it. */
    supportCode: z.optional(z.string()),
    errors: z.optional(z.array(FieldError)),
    /**
     * Sent with `reauthentication-required` if signing in again cannot help until an operator changes the
     * configuration.
     */
    reason: z.optional(z.enum(['provider-cannot-prove'])),
  })
  .check(z.meta({ id: 'Problem' }))
export type Problem = z.infer<typeof Problem>
