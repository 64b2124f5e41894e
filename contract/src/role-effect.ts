import * as z from 'zod/mini'

const people = {
  /** The number of users. */
  people: z.int(),
  /** At most ten of these users. */
  sample: z.array(z.object({ id: z.string(), name: z.string() })),
}
const EffectOnRole = z.object({ role: z.string(), ...people })
const EffectOnGroup = z.object({ groupId: z.string(), name: z.string(), ...people })

/**
 * The users who would gain or lose each role by a change, directly or through a group. `groups` has those who would
 * become members of a group, or no longer be ones, by a change of mappings.
 */
export const RoleEffect = z
  .object({
    gains: z.array(EffectOnRole),
    loses: z.array(EffectOnRole),
    groups: z.optional(z.object({ gains: z.array(EffectOnGroup), loses: z.array(EffectOnGroup) })),
  })
  .check(z.meta({ id: 'RoleEffect' }))
export type RoleEffect = z.infer<typeof RoleEffect>

const flag = z.optional(z.stringbool())

/**
 * The options of endpoints that may grant or remove roles. With `preview`, nothing is written and the response is a
 * `RoleEffect`. A change after which the caller is no longer an administrator needs `confirmSelfDemotion`, and fails with
 * 409 `self-demotion` otherwise.
 */
export const RoleChangeQuery = z.object({ preview: flag, confirmSelfDemotion: flag })
export type RoleChangeQuery = z.infer<typeof RoleChangeQuery>
