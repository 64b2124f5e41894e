import { type DeviceEvent, deviceEventsPath } from '@passport/contract/device-authorization'
import { useEffect, useState } from 'react'

/** An action of the approving user, as reported by the service. `at` is in milliseconds since 1970. */
export interface ApprovalEvent {
  at: number
  status: string
}

/** Returns the events of this session's latest request, and subscribes to new ones. */
export function useApprovalEvents(): ApprovalEvent[] {
  const [events, setEvents] = useState<ApprovalEvent[]>([])
  useEffect(() => {
    const source = new EventSource(deviceEventsPath)
    source.onmessage = ({ data }) => {
      const { status } = JSON.parse(data as string) as DeviceEvent
      setEvents((all) => (all.at(-1)?.status === status ? all : [...all, { at: Date.now(), status }]))
    }
    return () => source.close()
  }, [])
  return events
}
