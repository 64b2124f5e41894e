import { Combobox } from '@base-ui/react/combobox'
import { X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { Picture } from './ObjectIcon.tsx'
import type { Pickable, PickerProps } from './Picker.tsx'

/** The body of `Picker`: chips for picked options, an input and a list of matches. */
export function PickerBox({ label, placeholder, search, picked, onPick, error, isListOpen = false }: PickerProps) {
  const id = useId()
  const [isTyped, setOpen] = useState(false)
  const isOpen = isListOpen || isTyped
  const [text, setText] = useState('')
  const { matches, state } = useMatches(search, text.trim(), isListOpen)

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only detects that focus leaves its content
    <div
      className="relative"
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || setOpen(false)}
    >
      <Combobox.Root
        multiple
        // Not a top-layer popup, which would hide its surroundings and its label from screen readers.
        inline
        open={isOpen}
        items={matches}
        filter={null}
        value={picked}
        // Escape closes the list or the dialog but keeps the picked options.
        onValueChange={(all, { reason }) => {
          if (reason !== 'escape-key') onPick(all)
        }}
        inputValue={text}
        onInputValueChange={(text) => {
          setText(text)
          setOpen(text.trim() !== '')
        }}
        itemToStringLabel={({ name }: Pickable) => name}
        isItemEqualToValue={(option, otherOption) => option.id === otherOption.id}
        autoHighlight
      >
        <label htmlFor={id} className="mb-1.5 block font-[560]">
          {label}
        </label>
        <Combobox.Chips
          className={`flex min-h-9 flex-wrap items-center gap-1.5 rounded-ctl border bg-card p-1 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-stamp pointer-coarse:min-h-11 ${error ? 'border-bad' : 'border-edge'}`}
        >
          {picked.map((option) => (
            <Combobox.Chip
              key={option.id}
              aria-label={option.name}
              className="flex max-w-full items-center gap-1.5 rounded-md bg-well py-0.5 pr-0.5 pl-2 data-highlighted:bg-selection"
            >
              <span className="truncate">{option.name}</span>
              <Combobox.ChipRemove
                aria-label={`Remove ${option.name}`}
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
              if (event.key !== 'Escape' || !isTyped || isListOpen) return
              // Keeps a surrounding dialog open.
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
            className={
              isListOpen
                ? 'mt-2 h-[min(25rem,50dvh)] overflow-y-auto'
                : 'pop absolute inset-x-0 top-full z-20 mt-1 max-h-80 overflow-y-auto'
            }
            aria-busy={state === 'searching' || undefined}
          >
            <Combobox.Status className="px-2.5 py-2 text-ink2 empty:hidden">
              {formatStatus(state, text.trim(), matches)}
            </Combobox.Status>
            <Combobox.List>
              {(option: Pickable) => (
                <Combobox.Item
                  key={option.id}
                  value={option}
                  disabled={option.disabledReason !== undefined}
                  className="pop-item cursor-default py-1 data-disabled:text-ink3 data-selected:font-[620]"
                >
                  <Picture {...option} kind={option.kind ?? 'user'} size={26} />
                  <span className="min-w-0 leading-tight">
                    <span className="block truncate">{option.name}</span>
                    {option.detail && <span className="block truncate text-[13px] text-ink3">{option.detail}</span>}
                  </span>
                  <span className="ml-auto text-[13px] whitespace-nowrap text-ink3">
                    {option.disabledReason}
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

function formatStatus(state: State, text: string, matches: Pickable[]): string {
  if (state === 'failed') return 'Search failed. Type to retry.'
  if (state === 'searching') return matches.length > 0 ? '' : 'Searching…'
  return matches.length > 0 ? '' : `No results for “${text}”`
}

/** Finds matches once typing pauses; earlier matches stay until then. */
function useMatches(
  search: PickerProps['search'],
  text: string,
  isListOpen: boolean,
): { matches: Pickable[]; state: State } {
  const [result, setResult] = useState<{ matches: Pickable[]; state: State }>({ matches: [], state: 'idle' })
  const latestSearch = useRef(search)
  latestSearch.current = search
  useEffect(() => {
    if (text === '' && !isListOpen) return setResult({ matches: [], state: 'idle' })
    setResult(({ matches }) => ({ matches, state: 'searching' }))
    const controller = new AbortController()
    const timer = setTimeout(
      () => {
        latestSearch.current(text, controller.signal).then(
          (matches) => controller.signal.aborted || setResult({ matches, state: 'found' }),
          () => controller.signal.aborted || setResult({ matches: [], state: 'failed' }),
        )
      },
      text === '' ? 0 : 200,
    )
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text, isListOpen])
  return result
}
