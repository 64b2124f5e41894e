import { Search } from 'lucide-react'
import { type Ref, useEffect, useRef, useState } from 'react'

interface SearchBoxProps {
  label: string
  placeholder: string
  /** What is searched for now; what is typed wins over it until it has been told. */
  value: string
  /** Told once nothing more was typed for `delayMs`, and at once with Enter. */
  onSearch: (text: string) => void
  delayMs?: number
  ref?: Ref<HTMLInputElement>
}

/** A box to search with: it tells what is typed when whoever types stops for a moment. */
export function SearchBox({ label, placeholder, value, onSearch, delayMs = 200, ref }: SearchBoxProps) {
  const [typed, setTyped] = useState<string>()
  const tell = useRef(onSearch)
  tell.current = onSearch

  useEffect(() => {
    if (typed === undefined) return
    const timer = setTimeout(() => {
      tell.current(typed)
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
