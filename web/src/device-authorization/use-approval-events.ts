import { useEffect, useState } from 'react'

/** An action of the approving user, as reported by the service. */
export interface ApprovalEvent {
  at: number
  status: string
}

/** Subscribes to the status of this browser's request while `isEnabled`. The service identifies it by the session. */
export function useApprovalEvents(isEnabled: boolean): ApprovalEvent[] {
  const [events, setEvents] = useState<ApprovalEvent[]>([])
  useEffect(() => {
    if (!isEnabled) return undefined
    setEvents([])
    const source = new EventSource('/passport/deviceauthorization/events')
    source.onmessage = ({ data }) => {
      const { status } = JSON.parse(data as string) as { status: string }
      setEvents((all) => (all.at(-1)?.status === status ? all : [...all, { at: Date.now(), status }]))
    }
    return () => source.close()
  }, [isEnabled])
  return events
}
