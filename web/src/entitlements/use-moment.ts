import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type Moment, parseMoment, toDay } from './days.ts'

/** While the slider moves, the URL follows it after this pause. */
const settleMs = 150

/** The chosen moment, in the URL, and a function that chooses a day; today removes it from the URL. */
export function useMoment(): { moment: Moment | undefined; showDay: (day: string) => void } {
  const { at } = useSearch({ strict: false }) as { at?: unknown }
  const navigate = useNavigate()
  const [picked, setPicked] = useState<string>()
  useEffect(() => {
    if (picked === undefined) return
    const timer = setTimeout(() => {
      const changes = { at: picked === toDay(new Date()) ? undefined : picked, page: undefined, after: undefined }
      const search = (all: object) => ({ ...all, ...changes })
      void navigate({ to: '.', search: search as never, replace: true, resetScroll: false }).then(() =>
        setPicked(undefined),
      )
    }, settleMs)
    return () => clearTimeout(timer)
  }, [picked, navigate])
  return { moment: parseMoment(picked ?? at), showDay: setPicked }
}
