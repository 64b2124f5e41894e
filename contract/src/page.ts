import * as z from 'zod/mini'

/** How much of a list to send, 1 to 200; more is not refused but cut to 200. */
const limit = z._default(
  z.coerce.number<number>().check(
    z.int(),
    z.minimum(1),
    z.overwrite((asked) => Math.min(asked, 200)),
  ),
  50,
)

/** A list that is read forward: `after` is what `next` of the page before it held. */
export const CursorQuery = z.object({ limit, after: z.optional(z.string()) })
export type CursorQuery = z.infer<typeof CursorQuery>

/** A part of a list; `next` is the path of the part that follows, and null at the end. */
export function cursorPage<T extends z.core.$ZodType>(item: T) {
  return z.object({ items: z.array(item), limit: z.int(), next: z.nullable(z.string()) })
}
