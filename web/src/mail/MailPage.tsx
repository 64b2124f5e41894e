import { useSearch } from '@tanstack/react-router'
import { Previews } from './Previews.tsx'
import { Queue } from './Queue.tsx'

/** The emails that Passport sends: the queue, and previews of each kind. */
export function MailPage() {
  const { view } = useSearch({ strict: false }) as { view?: unknown }
  return view === 'previews' ? <Previews /> : <Queue />
}
