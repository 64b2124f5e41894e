import { Autocomplete } from '@base-ui/react/autocomplete'
import type { CurrentUser } from '@passport/contract/current-user'
import type { FoundRecord } from '@passport/contract/search'
import { useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Destination } from './own-pages.ts'
import { recentPages, recentRecords, rememberPage, rememberRecord } from './palette-recent.ts'
import { destinationOf, hasWords, useRecords } from './palette-records.ts'
import { closePalette } from './palette-store.ts'
import { destinationsFor } from './role-pages.ts'

/** A place to jump to; a record is remembered with its name, because the app does not know it otherwise. */
interface Item extends Destination {
  record?: FoundRecord
}

/** Jumps to a page or a record by a few letters of its name; the last jumps come first. */
export function Palette({ user }: { user: CurrentUser | null }) {
  const router = useRouter()
  const dialog = useRef<HTMLDialogElement>(null)
  const isAwaited = useRef(false)
  const [typed, setTyped] = useState('')
  const word = typed.trim()
  const sub = user?.claims.sub ?? ''
  const { records, isSearching } = useRecords(user, word)
  const items = itemsOf(destinationsFor(user), recentRecords(sub), records, word)
  useEffect(() => {
    dialog.current?.showModal()
  }, [])

  function go({ to, record }: Item) {
    if (record) rememberRecord(sub, record)
    else rememberPage(to)
    dialog.current?.close()
    void router.navigate({ to })
  }

  // Whoever types and presses Enter without looking means what is about to be found.
  useEffect(() => {
    const [first] = items
    if (!isAwaited.current || isSearching) return
    isAwaited.current = false
    if (first) go(first)
  })

  return (
    <dialog
      ref={dialog}
      aria-label="Search or jump to"
      onClose={closePalette}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
      onKeyDown={(event) => event.key === 'Escape' && dialog.current?.close()}
      className="mx-auto mt-[12vh] w-[560px] max-w-[calc(100vw-2rem)] overflow-hidden rounded-box border border-line bg-card p-0 text-ink shadow-pop backdrop:bg-shade"
    >
      <Autocomplete.Root
        inline
        open
        items={items}
        mode="none"
        autoHighlight="always"
        keepHighlight
        itemToStringValue={({ label }) => label}
        value={typed}
        onValueChange={(text, { reason }) => {
          isAwaited.current = false
          if (reason !== 'item-press') setTyped(text)
        }}
      >
        <div className="flex items-center gap-3 border-b border-line px-4">
          <Search size={16} className="shrink-0 text-ink3" />
          <Autocomplete.Input
            autoFocus
            aria-label="Search or jump to"
            placeholder="Where to?"
            className="h-13 min-w-0 flex-1 bg-transparent text-[15px] outline-none placeholder:text-ink3"
            onKeyDown={({ key }) => {
              if (key === 'Enter' && isSearching && items.length === 0) isAwaited.current = true
            }}
          />
        </div>
        <Autocomplete.Empty>
          <p className="px-4 py-8 text-center text-ink2">
            {isSearching ? 'Searching…' : 'No page has this in its name.'}
          </p>
        </Autocomplete.Empty>
        <Autocomplete.List aria-busy={isSearching} className="max-h-[50vh] overflow-y-auto p-1.5 data-[empty]:p-0">
          {(item: Item) => (
            <Autocomplete.Item key={item.to} value={item} className="pop-item cursor-default" onClick={() => go(item)}>
              <item.icon size={16} strokeWidth={1.75} className="shrink-0 text-ink3" />
              <span className={`font-[560] ${item.record ? 'min-w-0 truncate' : 'shrink-0'}`}>{item.label}</span>
              <span className="truncate text-ink3">{item.about}</span>
              {item.keys && (
                <kbd className="ml-auto font-mono text-[11px] whitespace-nowrap text-ink3">{item.keys}</kbd>
              )}
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </dialog>
  )
}

/** Without a word the last records and all pages; else pages by name, then records, then pages by what they are about. */
function itemsOf(pages: Destination[], recent: FoundRecord[], found: FoundRecord[], word: string): Item[] {
  const placed = (record: FoundRecord): Item => ({ ...destinationOf(record), record })
  const known = inOrder(pages)
  if (word === '') return [...recent.map(placed), ...known]
  const isNamed = ({ label }: Destination) => hasWords(label, word)
  const named = known.filter(isNamed)
  const about = known.filter((page) => !isNamed(page) && hasWords(`${page.label} ${page.about}`, word))
  const lately = recent.filter(({ name }) => hasWords(name, word)).map(placed)
  return [...new Map([...named, ...lately, ...found.map(placed), ...about].map((item) => [item.to, item])).values()]
}

function inOrder(pages: Destination[]): Destination[] {
  const recent = recentPages()
  const rank = ({ to }: Destination) => (recent.includes(to) ? recent.indexOf(to) : recent.length)
  return pages.toSorted((one, other) => rank(one) - rank(other))
}
