import { Card } from '../ui/Card.tsx'
import { usePerson } from './use-person.ts'

const sentences: Record<string, string> = {
  pending: 'Nobody has looked at it yet',
  viewed: 'Somebody gave the code and sees who asks',
  approved: 'They approved',
  denied: 'They said that they did not start this',
  expired: 'The time is over',
}
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** The other end of the flow as it happens: what whoever holds the phone does. */
export function PersonLog({ isOn }: { isOn: boolean }) {
  const deeds = usePerson(isOn).filter(({ status }) => sentences[status])
  return (
    <Card title="The person" about="What happens at the other end, as it happens.">
      <ol className="px-5 pb-4" aria-label="What the person does" aria-live="polite">
        {deeds.map(({ at, status }) => (
          <li key={at} className="flex gap-3 border-t border-line py-1.5 text-[13px]">
            <time className="text-ink3 tabular-nums">{clock.format(at)}</time>
            <span>{sentences[status]}</span>
          </li>
        ))}
      </ol>
      {deeds.length === 0 && <p className="px-5 pb-4 text-ink3">Nothing yet.</p>}
    </Card>
  )
}
