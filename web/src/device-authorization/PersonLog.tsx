import { Card } from '../ui/Card.tsx'
import { TimedList } from './TimedList.tsx'
import { usePerson } from './use-person.ts'

const sentences: Record<string, string> = {
  pending: 'Nobody has looked at it yet',
  viewed: 'Somebody gave the code and sees who asks',
  approved: 'They approved',
  denied: 'The device is kept out: they said no, or what was typed was wrong three times',
  expired: 'The time is over',
}

/** The other end of the flow as it happens: what whoever holds the phone does. */
export function PersonLog({ isOn }: { isOn: boolean }) {
  const lines = usePerson(isOn)
    .filter(({ status }) => sentences[status])
    .map(({ at, status }) => ({ key: at, at, told: <span>{sentences[status]}</span> }))
  return (
    <Card title="The person" about="What happens at the other end, as it happens.">
      <TimedList label="What the person does" lines={lines} isLive />
      {lines.length === 0 && <p className="px-5 pb-4 text-ink3">Nothing yet.</p>}
    </Card>
  )
}
