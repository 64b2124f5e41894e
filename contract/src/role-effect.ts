import * as z from 'zod/mini'

const EffectOnRole = z.object({
  role: z.string(),
  people: z.int(),
  /** At most ten of them. */
  sample: z.array(z.object({ id: z.string(), name: z.string() })),
})

/** Who would gain or lose which role by a change, whether directly or through a group. */
export const RoleEffect = z
  .object({ gains: z.array(EffectOnRole), loses: z.array(EffectOnRole) })
  .check(z.meta({ id: 'RoleEffect' }))
export type RoleEffect = z.infer<typeof RoleEffect>

const flag = z.optional(z.stringbool())

/**
 * For every endpoint that may grant or remove roles. With `preview` nothing is written and the response is a
 * `RoleEffect`. Without `confirmSelfDemotion` callers cannot remove their own administration (409 `self-demotion`).
 */
export const RoleChangeQuery = z.object({ preview: flag, confirmSelfDemotion: flag })
export type RoleChangeQuery = z.infer<typeof RoleChangeQuery>
