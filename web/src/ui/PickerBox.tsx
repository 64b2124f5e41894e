import { Combobox } from '@base-ui/react/combobox'
import { X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { Pickable, PickerProps } from './Picker.tsx'
import { Seal } from './Seal.tsx'

/** The box of `Picker`: chips of what is picked, an input, and a list of what is found. */
export function PickerBox({ label, placeholder, search, picked, onPick, error }: PickerProps) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const { found, state } = useFound(search, text.trim())

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices that the focus leaves what is in it
    <div
      className="relative"
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || setOpen(false)}
    >
      <Combobox.Root
        multiple
        // Not in a layer of its own: what is around it would be hidden from screen readers, its label too.
        inline
        open={isOpen}
        items={found}
        filter={null}
        value={picked}
        // Escape leaves the list or the dialog, and takes back nothing that was picked.
        onValueChange={(all, { reason }) => {
          if (reason !== 'escape-key') onPick(all)
        }}
        inputValue={text}
        onInputValueChange={(text) => {
          setText(text)
          setOpen(text.trim() !== '')
        }}
        itemToStringLabel={({ name }: Pickable) => name}
        isItemEqualToValue={(one, other) => one.id === other.id}
        autoHighlight
      >
        <label htmlFor={id} className="mb-1.5 block font-[560]">
          {label}
        </label>
        <Combobox.Chips
          className={`flex min-h-9 flex-wrap items-center gap-1.5 rounded-ctl border bg-card p-1 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-stamp pointer-coarse:min-h-11 ${error ? 'border-bad' : 'border-edge'}`}
        >
          {picked.map((one) => (
            <Combobox.Chip
              key={one.id}
              aria-label={one.name}
              className="flex max-w-full items-center gap-1.5 rounded-md bg-well py-0.5 pr-0.5 pl-2 data-highlighted:bg-selection"
            >
              <span className="truncate">{one.name}</span>
              <Combobox.ChipRemove
                aria-label={`Remove ${one.name}`}
                className="grid size-6 place-items-center rounded-md text-ink3 hover:text-ink pointer-coarse:size-9"
              >
                <X size={13} />
              </Combobox.ChipRemove>
            </Combobox.Chip>
          ))}
          <Combobox.Input
            id={id}
            placeholder={picked.length > 0 ? '' : placeholder}
            className="h-7 min-w-32 flex-1 bg-transparent px-2 outline-none placeholder:text-ink3"
            aria-expanded={isOpen}
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? `${id}-error` : undefined}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || !isOpen) return
              // The dialog around it, if there is one, stays.
              event.preventDefault()
              event.stopPropagation()
              setOpen(false)
            }}
          />
        </Combobox.Chips>
        {error && (
          <p id={`${id}-error`} className="mt-1.5 text-[13px] text-bad">
            {error}
          </p>
        )}
        {isOpen && (
          <div
            className="pop absolute inset-x-0 top-full z-20 mt-1 max-h-80 overflow-y-auto"
            aria-busy={state === 'searching' || undefined}
          >
            <Combobox.Status className="px-2.5 py-2 text-ink2 empty:hidden">
              {told(state, text.trim(), found)}
            </Combobox.Status>
            <Combobox.List>
              {(one: Pickable) => (
                <Combobox.Item
                  key={one.id}
                  value={one}
                  disabled={one.taken !== undefined}
                  className="pop-item cursor-default py-1 data-disabled:text-ink3 data-selected:font-[620]"
                >
                  {one.hasSeal !== false && <Seal seed={one.id} size={26} />}
                  <span className="min-w-0 leading-tight">
                    <span className="block truncate">{one.name}</span>
                    {one.about && <span className="block truncate text-[13px] text-ink3">{one.about}</span>}
                  </span>
                  <span className="ml-auto text-[13px] whitespace-nowrap text-ink3">
                    {one.taken}
                    <Combobox.ItemIndicator className="text-stamp">✓</Combobox.ItemIndicator>
                  </span>
                </Combobox.Item>
              )}
            </Combobox.List>
          </div>
        )}
      </Combobox.Root>
    </div>
  )
}

type State = 'idle' | 'searching' | 'found' | 'failed'

function told(state: State, text: string, found: Pickable[]): string {
  if (state === 'failed') return 'The search did not answer. Type on to try again.'
  if (state === 'searching') return found.length > 0 ? '' : 'Searching …'
  return found.length > 0 ? '' : `Nothing is called “${text}”.`
}

/** What is found for a text once nothing more was typed for a moment; what was found before stays until then. */
function useFound(search: PickerProps['search'], text: string): { found: Pickable[]; state: State } {
  const [result, setResult] = useState<{ found: Pickable[]; state: State }>({ found: [], state: 'idle' })
  const ask = useRef(search)
  ask.current = search
  useEffect(() => {
    if (text === '') return setResult({ found: [], state: 'idle' })
    setResult(({ found }) => ({ found, state: 'searching' }))
    const asking = new AbortController()
    const timer = setTimeout(() => {
      ask.current(text, asking.signal).then(
        (found) => asking.signal.aborted || setResult({ found, state: 'found' }),
        () => asking.signal.aborted || setResult({ found: [], state: 'failed' }),
      )
    }, 200)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [text])
  return result
}
