import type { RoleEffect } from '@passport/contract/role-effect'
import { Tag } from '../ui/Tag.tsx'

type EffectOnRole = RoleEffect['gains'][number]

/**
 * Lists the roles and groups that users would gain or lose: “2 users gain Passport.Admin: Ana Abara, Bo Lindqvist”. What
 * the same users gain or lose shares a line.
 */
export function RoleEffectList({ effect, isOneUser }: { effect: RoleEffect; isOneUser?: boolean | undefined }) {
  if (isOneUser)
    return (
      <div className="grid gap-2">
        <OwnEffect verb="Gains" roles={effect.gains} />
        <OwnEffect verb="Loses" roles={effect.loses} />
      </div>
    )
  return (
    <ul className="grid gap-2">
      {groupByUsers(effect, 'gains').map((effects) => (
        <Effect key={`+${effects[0]?.role}`} effects={effects} gains />
      ))}
      {groupByUsers(effect, 'loses').map((effects) => (
        <Effect key={`-${effects[0]?.role}`} effects={effects} />
      ))}
    </ul>
  )
}

/** The effect on the user whom the question names: “Loses 3 roles”. */
function OwnEffect({ verb, roles }: { verb: string; roles: EffectOnRole[] }) {
  if (roles.length === 0) return null
  return (
    <div>
      <p className="font-[560] text-ink">
        {verb} {roles.length === 1 ? '1 role' : `${roles.length} roles`}
      </p>
      <p className="mt-1 flex flex-wrap gap-1.5">
        {roles.map(({ role }) => (
          <Tag key={role}>{role}</Tag>
        ))}
      </p>
    </div>
  )
}

/** Groups effects on the same users, those on groups too. The sample has all users of an effect on at most ten. */
const groupByUsers = (effect: RoleEffect, side: 'gains' | 'loses'): EffectOnRole[][] => {
  const onGroups = (effect.groups?.[side] ?? []).map(({ name, ...line }) => ({ ...line, role: name }))
  const byUsers = Map.groupBy([...effect[side], ...onGroups], ({ role, people, sample }) =>
    sample.length === people ? sample.map(({ id }) => id).join(' ') : role,
  )
  return [...byUsers.values()]
}

function Effect({ effects, gains = false }: { effects: EffectOnRole[]; gains?: boolean }) {
  const { people = 0, sample = [] } = effects[0] ?? {}
  const more = people - sample.length
  const names = sample.map(({ name }) => name).join(', ')
  const verb = people === 1 ? (gains ? 'gains' : 'loses') : gains ? 'gain' : 'lose'
  return (
    <li className={`border-l-2 pl-3 ${gains ? 'border-warn' : 'border-line'}`}>
      <span className="font-[560] text-ink">
        {people === 1 ? '1 user' : `${people.toLocaleString('en')} users`} {verb}
      </span>{' '}
      {effects.map(({ role }, index) => (
        <span key={role}>
          {index > 0 && ' '}
          <Tag>{role}</Tag>
        </span>
      ))}
      : {names}
      {more > 0 && ` and ${more.toLocaleString('en')} more`}
    </li>
  )
}
