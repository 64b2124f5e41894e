import * as z from 'zod/mini'

/** One thing that is wrong with a request: `field` is a path such as `members[2]` or the name of a parameter. */
const Fault = z.object({
  field: z.string(),
  code: z.string(),
  message: z.string(),
  /** Where it is in a text, from 1. */
  line: z.exactOptional(z.int()),
  column: z.exactOptional(z.int()),
  /** Of `cycle`: the sets by which the way goes round, such as `group:one#member`; the last leads to the first. */
  circle: z.exactOptional(z.array(z.string())),
})
export type Fault = z.infer<typeof Fault>

/** How the service tells a failure: RFC 9457, with a stable `code` and one entry in `errors` for each fault. */
export const Problem = z
  .object({
    type: z.string(),
    /** The status phrase, so that clients that show nothing else show something sensible. */
    title: z.string(),
    status: z.int(),
    detail: z.optional(z.string()),
    instance: z.optional(z.string()),
    code: z.string(),
    traceId: z.string(),
    errors: z.optional(z.array(Fault)),
  })
  .check(z.meta({ id: 'Problem' }))
export type Problem = z.infer<typeof Problem>
