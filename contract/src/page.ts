import * as z from 'zod/mini'

/** The page size, 1 to 200. A larger one is an error: a client that expects more rows would take a page for the whole. */
const limit = z._default(z.coerce.number<number>().check(z.int(), z.minimum(1), z.maximum(200)), 50)

/** Forward paging: `after` is the cursor from `next` of the previous page. */
export const CursorQuery = z.object({ limit, after: z.optional(z.string()) })
export type CursorQuery = z.infer<typeof CursorQuery>

/** A page of a list; `next` is the path of the next page, null at the end. */
export function cursorPage<T extends z.core.$ZodType>(item: T) {
  return z.object({ items: z.array(item), limit: z.int(), next: z.nullable(z.string()) })
}

/** The largest exact total; larger totals are estimates. */
export const maxCounted = 1_000

/** The number of rows that page numbers reach; later rows need `after`. */
export const maxOffset = 10_000

/**
 * Numbered pages. `after`, the keyset cursor in `next`, takes precedence over `page` and costs the same at any depth.
 */
export const PageQuery = z.object({
  limit,
  page: z._default(z.coerce.number<number>().check(z.int(), z.minimum(1)), 1),
  after: z.optional(z.string()),
})
export type PageQuery = z.infer<typeof PageQuery>

/** The order of a list, by one of these columns; without it, the list has its default order. */
export function sortedBy<const Columns extends readonly [string, ...string[]]>(columns: Columns) {
  return { sort: z.optional(z.enum(columns)), direction: z.optional(z.enum(['asc', 'desc'])) }
}

/** A numbered page of a list. `totalIsExact` is false if `total` is an estimate, and omitted otherwise. */
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
