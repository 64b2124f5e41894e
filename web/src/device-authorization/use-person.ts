import { useEffect, useState } from 'react'

/** What the person at the other end has done, as the service tells it. */
export interface Deed {
  at: number
  status: string
}

/** Listens to what becomes of the request that this browser began, while `isOn`. The service knows it by the session. */
export function usePerson(isOn: boolean): Deed[] {
  const [deeds, setDeeds] = useState<Deed[]>([])
  useEffect(() => {
    if (!isOn) return undefined
    setDeeds([])
    const source = new EventSource('/passport/deviceauthorization/events')
    source.onmessage = ({ data }) => {
      const { status } = JSON.parse(data as string) as { status: string }
      setDeeds((all) => (all.at(-1)?.status === status ? all : [...all, { at: Date.now(), status }]))
    }
    return () => source.close()
  }, [isOn])
  return deeds
}
