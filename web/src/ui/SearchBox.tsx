import { Search } from 'lucide-react'
import { type Ref, useEffect, useRef, useState } from 'react'

interface SearchBoxProps {
  label: string
  placeholder: string
  /** The current search. While the user types, the input shows the typed text until `onSearch` is called. */
  value: string
  /** Called `delayMs` after the last keystroke, or at once on Enter if the typed text is new. */
  onSearch: (text: string) => void
  delayMs?: number
  ref?: Ref<HTMLInputElement>
}

/** A search input that debounces typing. */
export function SearchBox({ label, placeholder, value, onSearch, delayMs = 200, ref }: SearchBoxProps) {
  const [typed, setTyped] = useState<string>()
  const latestOnSearch = useRef(onSearch)
  latestOnSearch.current = onSearch

  useEffect(() => {
    if (typed === undefined) return
    const timer = setTimeout(() => {
      latestOnSearch.current(typed)
      setTyped(undefined)
    }, delayMs)
    return () => clearTimeout(timer)
  }, [typed, delayMs])

  return (
    <div className="relative w-full min-w-0 sm:w-80">
      <Search size={15} className="pointer-events-none absolute inset-y-0 left-3 my-auto text-ink3" />
      <input
        ref={ref}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        className="ctl pl-9"
        value={typed ?? value}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || typed === undefined) return
          onSearch(typed)
          setTyped(undefined)
        }}
      />
    </div>
  )
}
