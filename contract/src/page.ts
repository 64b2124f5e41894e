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

/** Totals are counted up to here; a page number may lead as far. */
export const maxCounted = 10_000

/** A list with numbered pages. `after`, which `next` holds, goes before `page`: it costs the same however far it leads. */
export const PageQuery = z.object({
  limit,
  page: z._default(z.coerce.number<number>().check(z.int(), z.minimum(1)), 1),
  after: z.optional(z.string()),
})
export type PageQuery = z.infer<typeof PageQuery>

/** A numbered part of a list. `totalIsExact` is false where there are more than `total`, and left out where it is exact. */
export function page<T extends z.core.$ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    page: z.int(),
    limit: z.int(),
    total: z.int(),
    totalIsExact: z.optional(z.literal(false)),
    next: z.nullable(z.string()),
  })
}
