import { Autocomplete } from '@base-ui/react/autocomplete'
import type { CurrentUser } from '@passport/contract/current-user'
import type { SearchResult } from '@passport/contract/search'
import { useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { hasRole } from './current-user.ts'
import { type Destination, listDestinations } from './destinations.ts'
import { readRecentPages, readRecentRecords, rememberPage, rememberRecord } from './palette-recent.ts'
import { containsWords, toDestination, useRecords } from './palette-records.ts'
import { closePalette } from './palette-store.ts'

/** A destination; one that is a record is stored with its name, so that it can be listed again without a request. */
interface Item extends Destination {
  record?: SearchResult
}

/** A dialog that finds pages and records by words of their names; recent destinations come first. */
export function Palette({ user }: { user: CurrentUser | null }) {
  const router = useRouter()
  const dialog = useRef<HTMLDialogElement>(null)
  const isEnterPending = useRef(false)
  const [input, setInput] = useState('')
  const searchText = input.trim()
  const sub = user?.claims.sub ?? ''
  const { records, isSearching } = useRecords(user, searchText)
  const items = rankItems(listDestinations(user), readRecentRecords(sub), records, searchText)
  useEffect(() => {
    dialog.current?.showModal()
  }, [])

  function openItem({ to, record }: Item) {
    if (record) rememberRecord(sub, record)
    else rememberPage(to)
    dialog.current?.close()
    void router.navigate({ to })
  }

  // Enter before the results arrive opens the first result.
  useEffect(() => {
    const [first] = items
    if (!isEnterPending.current || isSearching) return
    isEnterPending.current = false
    if (first) openItem(first)
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
        value={input}
        onValueChange={(text, { reason }) => {
          isEnterPending.current = false
          if (reason !== 'item-press') setInput(text)
        }}
      >
        <div className="flex items-center gap-3 border-b border-line px-4">
          <Search size={16} className="shrink-0 text-ink3" />
          <Autocomplete.Input
            autoFocus
            aria-label="Search or jump to"
            placeholder={hasRole(user, 'Passport.Admin') ? 'Search users, groups, pages…' : 'Search pages…'}
            className="h-13 min-w-0 flex-1 bg-transparent text-[15px] outline-none placeholder:text-ink3"
            onKeyDown={({ key }) => {
              if (key === 'Enter' && isSearching && items.length === 0) isEnterPending.current = true
            }}
          />
        </div>
        <Autocomplete.Empty>
          <p className="px-4 py-8 text-center text-ink2">
            {isSearching ? 'Searching…' : `No results for “${searchText}”`}
          </p>
        </Autocomplete.Empty>
        <Autocomplete.List aria-busy={isSearching} className="max-h-[50vh] overflow-y-auto p-1.5 data-[empty]:p-0">
          {(item: Item) => (
            <Autocomplete.Item
              key={item.to}
              value={item}
              className="pop-item cursor-default"
              onClick={() => openItem(item)}
            >
              <item.icon size={16} strokeWidth={1.75} className="shrink-0 text-ink3" />
              <span className={`font-[560] ${item.record ? 'min-w-0 truncate' : 'shrink-0'}`}>{item.label}</span>
              <span className="truncate text-ink3">{item.description}</span>
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

/** Without a search: recent records and all pages. Otherwise pages by name, then records, then pages by description. */
function rankItems(pages: Destination[], recent: SearchResult[], records: SearchResult[], searchText: string): Item[] {
  const toItem = (record: SearchResult): Item => ({ ...toDestination(record), record })
  const sortedPages = sortByRecent(pages)
  if (searchText === '') return [...recent.map(toItem), ...sortedPages]
  const matchesLabel = ({ label }: Destination) => containsWords(label, searchText)
  const labelMatches = sortedPages.filter(matchesLabel)
  const descriptionMatches = sortedPages.filter(
    (page) => !matchesLabel(page) && containsWords(`${page.label} ${page.description}`, searchText),
  )
  const recentMatches = recent.filter(({ name }) => containsWords(name, searchText)).map(toItem)
  return [
    ...new Map(
      [...labelMatches, ...recentMatches, ...records.map(toItem), ...descriptionMatches].map((item) => [item.to, item]),
    ).values(),
  ]
}

function sortByRecent(pages: Destination[]): Destination[] {
  const recent = readRecentPages()
  const rank = ({ to }: Destination) => (recent.includes(to) ? recent.indexOf(to) : recent.length)
  return pages.toSorted((a, b) => rank(a) - rank(b))
}
