import type { RoleEffect } from '@passport/contract/role-effect'
import { Tag } from '../ui/Tag.tsx'

/** Lists the roles that users would gain or lose: “2 users gain Passport.Admin: Ana Abara, Bo Lindqvist”. */
export function RoleEffectList({ effect }: { effect: RoleEffect }) {
  return (
    <ul className="grid gap-2">
      {effect.gains.map((change) => (
        <Effect key={`+${change.role}`} {...change} gains />
      ))}
      {effect.loses.map((change) => (
        <Effect key={`-${change.role}`} {...change} />
      ))}
    </ul>
  )
}

function Effect({ role, people, sample, gains = false }: RoleEffect['gains'][number] & { gains?: boolean }) {
  const more = people - sample.length
  const names = sample.map(({ name }) => name).join(', ')
  const verb = people === 1 ? (gains ? 'gains' : 'loses') : gains ? 'gain' : 'lose'
  return (
    <li className={`border-l-2 pl-3 ${gains ? 'border-warn' : 'border-line'}`}>
      <span className="font-[560] text-ink">
        {people === 1 ? '1 user' : `${people.toLocaleString('en')} users`} {verb}
      </span>{' '}
      <Tag>{role}</Tag>: {names}
      {more > 0 && ` and ${more.toLocaleString('en')} more`}
    </li>
  )
}
