import { Autocomplete } from '@base-ui/react/autocomplete'
import { useEffect, useState } from 'react'
import { type Completion, completeObjects } from './complete.ts'

interface ObjectIdBoxProps {
  label: string
  type: string
  value: string
  onChange: (id: string) => void
  describedBy: string | undefined
  isInvalid: boolean
}

/** The box of `ObjectPicker`: an id as it is typed, and a list of those that begin so or are called so. */
export function ObjectIdBox({ label, type, value, onChange, describedBy, isInvalid }: ObjectIdBoxProps) {
  const [isOpen, setOpen] = useState(false)
  const found = useCompletions(type, value.trim(), isOpen)
  const isListed = isOpen && found.length > 0
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices that the focus leaves what is in it
    <div
      className="relative"
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || setOpen(false)}
    >
      <Autocomplete.Root
        inline
        open={isListed}
        mode="none"
        items={found}
        itemToStringValue={({ id }: Completion) => id}
        value={value}
        onValueChange={(text, { reason }) => {
          if (reason === 'escape-key' || reason === 'item-press') return
          setOpen(true)
          onChange(text)
        }}
      >
        <Autocomplete.Input
          aria-label={label}
          aria-expanded={isListed}
          aria-describedby={describedBy}
          aria-invalid={isInvalid || undefined}
          placeholder={type === 'passport/user' ? 'name or id' : 'id'}
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          className="ctl font-mono text-[13px]"
          onClick={() => setOpen(true)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setOpen(true)
            if (event.key !== 'Escape' || !isListed) return
            event.preventDefault()
            event.stopPropagation()
            setOpen(false)
          }}
        />
        {isListed && (
          <div className="pop absolute top-full left-0 z-20 mt-1 max-h-72 w-max max-w-[min(24rem,calc(100vw-3rem))] min-w-full overflow-y-auto">
            <Autocomplete.List>
              {(one: Completion) => (
                <Autocomplete.Item
                  key={one.id}
                  value={one}
                  className="pop-item cursor-default py-1"
                  onClick={() => {
                    onChange(one.id)
                    setOpen(false)
                  }}
                >
                  <span className="min-w-0 leading-tight">
                    {one.name && <span className="block truncate">{one.name}</span>}
                    <span
                      className={`block truncate font-mono ${one.name ? 'text-[12px] text-ink3' : 'text-[13px] text-ink'}`}
                    >
                      {one.id}
                    </span>
                  </span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </div>
        )}
      </Autocomplete.Root>
    </div>
  )
}

/** What completes a text once nothing more was typed for a moment; what was found before stays until then. */
function useCompletions(type: string, text: string, isAsked: boolean): Completion[] {
  const [found, setFound] = useState<{ type: string; items: Completion[] }>({ type, items: [] })
  useEffect(() => {
    if (!isAsked || type === '') return
    const asking = new AbortController()
    const timer = setTimeout(() => {
      completeObjects(type, text, asking.signal).then(
        (items) => asking.signal.aborted || setFound({ type, items }),
        // Whoever types goes on without a list.
        () => asking.signal.aborted || setFound({ type, items: [] }),
      )
    }, 150)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [type, text, isAsked])
  return found.type === type ? found.items : []
}
