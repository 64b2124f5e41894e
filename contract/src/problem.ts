import * as z from 'zod/mini'

/** One error of a request: `field` is a path such as `members[2]` or the name of a parameter. */
const FieldError = z.object({
  field: z.string(),
  code: z.string(),
  message: z.string(),
  /** The position in a text, from 1. */
  line: z.exactOptional(z.int()),
  column: z.exactOptional(z.int()),
  /** For `cycle`: the usersets of the cycle, such as `group:one#member`; the last refers to the first. */
  circle: z.exactOptional(z.array(z.string())),
})
export type FieldError = z.infer<typeof FieldError>

/** An error response: RFC 9457, with a stable `code` and one entry in `errors` for each error. */
export const Problem = z
  .object({
    /** The URL of a page about the code. */
    type: z.string(),
    /** The status phrase, for clients that show nothing else. */
    title: z.string(),
    status: z.int(),
    detail: z.optional(z.string()),
    instance: z.optional(z.string()),
    code: z.string(),
    traceId: z.string(),
    errors: z.optional(z.array(FieldError)),
    /**
     * Sent with `reauthentication-required` if signing in again cannot help until an operator changes the
     * configuration.
     */
    reason: z.optional(z.enum(['provider-cannot-prove'])),
  })
  .check(z.meta({ id: 'Problem' }))
export type Problem = z.infer<typeof Problem>
