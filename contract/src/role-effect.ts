import * as z from 'zod/mini'

const OfRole = z.object({
  role: z.string(),
  people: z.int(),
  /** Some of them, at most ten. */
  sample: z.array(z.object({ id: z.string(), name: z.string() })),
})

/** Who would gain or lose which role by a change, whatever gives it to them. */
export const RoleEffect = z
  .object({ gains: z.array(OfRole), loses: z.array(OfRole) })
  .check(z.meta({ id: 'RoleEffect' }))
export type RoleEffect = z.infer<typeof RoleEffect>

const flag = z.optional(z.stringbool())

/**
 * For every endpoint that may give or take roles: with `preview` nothing is written and the answer is a `RoleEffect`;
 * without `confirmSelfDemotion` nobody takes their own administration away (409 `self-demotion`).
 */
export const RoleChangeQuery = z.object({ preview: flag, confirmSelfDemotion: flag })
export type RoleChangeQuery = z.infer<typeof RoleChangeQuery>
