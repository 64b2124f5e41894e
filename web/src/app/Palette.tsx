import type { CurrentUser } from '@passport/contract/current-user'
import { Search } from 'lucide-react'
import { type KeyboardEvent, Suspense, useId, useLayoutEffect, useRef, useState } from 'react'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { closeDialog } from './open-dialog.ts'

const PaletteList = lazyPart(async () => (await import('./PaletteList.tsx')).PaletteList)

/**
 * The palette's dialog and input. They are part of the first load, so that the input has the focus before the next key
 * is pressed. The list of results is loaded on opening, and uses the text typed since then.
 */
export function Palette({ user }: { user: CurrentUser }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const listId = useId()
  const [text, setText] = useState('')
  /** The index of the active option; the list brings an index beyond its ends back into it. */
  const [active, setActive] = useState(0)
  /** Whether Enter was pressed; the list opens the active option as soon as it has one. */
  const [isEntered, setEntered] = useState(false)
  /** The number of options; none until the list is loaded. */
  const [count, setCount] = useState(0)
  // Not in an effect after the paint: the next key must reach the input.
  useLayoutEffect(() => dialog.current?.showModal(), [])

  function handleKeyDown({ key, nativeEvent }: KeyboardEvent) {
    // Arrows and Enter choose among an input method's candidates first.
    if (nativeEvent.isComposing) return
    if (key === 'ArrowDown') setActive(active + 1)
    else if (key === 'ArrowUp') setActive(active - 1)
    else if (key === 'Enter') setEntered(true)
    else return
    nativeEvent.preventDefault()
  }

  return (
    <dialog
      ref={dialog}
      aria-label="Search or run a command"
      onClose={() => closeDialog('palette')}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
      onKeyDown={(event) => event.key === 'Escape' && dialog.current?.close()}
      className="mx-auto mt-[12vh] w-[600px] max-w-[calc(100vw-2rem)] overflow-hidden card p-0 text-ink shadow-pop backdrop:bg-shade max-sm:mt-4"
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search size={16} className="shrink-0 text-ink3" />
        <input
          type="text"
          autoFocus
          role="combobox"
          aria-label="Search or run a command"
          aria-autocomplete="list"
          aria-expanded={count > 0}
          aria-controls={listId}
          aria-activedescendant={count > 0 ? `${listId}-${active}` : undefined}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder="Search or run a command"
          className="h-13 min-w-0 flex-1 bg-transparent text-[15px] outline-none placeholder:text-ink3"
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setActive(0)
            setEntered(false)
          }}
          onKeyDown={handleKeyDown}
        />
      </div>
      <Suspense
        fallback={
          <div className="pt-5">
            <Skeleton label="Loading results" rows={3} rowClass="h-6" />
          </div>
        }
      >
        <PaletteList
          id={listId}
          user={user}
          text={text.trim()}
          active={active}
          onActive={setActive}
          onCount={setCount}
          isEntered={isEntered}
          onClose={() => {
            setEntered(false)
            dialog.current?.close()
          }}
        />
      </Suspense>
    </dialog>
  )
}
