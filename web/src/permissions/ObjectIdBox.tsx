import { Autocomplete } from '@base-ui/react/autocomplete'
import type { ObjectReference } from '@passport/contract/permission-terms'
import { completeObjectIds } from '@passport/contract/permissions'
import { useEffect, useId, useRef, useState } from 'react'
import { call } from '../app/api.ts'
import { searchGroups, searchOrgs, searchRoles, searchUsers } from '../directory/find-records.ts'
import { Picture } from '../ui/ObjectIcon.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import { objectKindOf } from './object-kind.ts'
import { printReference } from './reference.ts'
import { isUnsupported } from './unsupported.ts'

interface ObjectIdBoxProps {
  label: string
  type: string
  /** The types to search without a type. */
  types: readonly string[]
  placeholder: string
  value: string
  /** The name of the object, shown in place of its id while the field has no focus. */
  name: string | undefined
  onChange: (id: string) => void
  /** Called when a completion is picked. */
  onPick: (object: ObjectReference) => void
  /** The id of the element with the error, if any. */
  errorId: string | undefined
  /** Whether it has the focus at first. */
  isFirst?: boolean | undefined
}

/** The text field of `ObjectPicker`, with completions by id or name. */
export function ObjectIdBox(props: ObjectIdBoxProps) {
  const { label, type, types, placeholder, value, name, onChange, onPick, errorId, isFirst = false } = props
  const nameId = useId()
  const [isOpen, setOpen] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // On a touch screen the keyboard would cover half of the page.
    const canFocus = !matchMedia('(pointer: coarse)').matches && document.querySelector('dialog[open]') === null
    if (isFirst && canFocus) input.current?.focus({ preventScroll: true })
  }, [isFirst])
  const completions = useCompletions(type === '' ? types : [type], value.trim(), isOpen)
  const isListed = isOpen && completions.length > 0
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only detects that the focus leaves it
    <div
      className="relative"
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || setOpen(false)}
    >
      <Autocomplete.Root
        inline
        open={isListed}
        mode="none"
        items={completions}
        itemToStringValue={({ id }: Completion) => id}
        value={value}
        onValueChange={(text, { reason }) => {
          if (reason === 'escape-key' || reason === 'item-press') return
          setOpen(true)
          onChange(text)
        }}
      >
        <Autocomplete.Input
          ref={input}
          aria-label={label}
          aria-expanded={isListed}
          aria-describedby={errorId ?? (name === undefined ? undefined : nameId)}
          aria-invalid={errorId !== undefined || undefined}
          placeholder={type in nameSearches ? 'Name or ID' : placeholder}
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          className="peer h-9 w-full bg-transparent px-2 font-[560] outline-none placeholder:font-normal placeholder:text-ink3"
          onClick={() => setOpen(true)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') setOpen(true)
            if (event.key !== 'Escape' || !isListed) return
            event.preventDefault()
            event.stopPropagation()
            setOpen(false)
          }}
        />
        {name !== undefined && (
          <span
            id={nameId}
            className="pointer-events-none absolute inset-0 truncate bg-card px-2 leading-9 font-[560] peer-focus:hidden"
          >
            {name}
          </span>
        )}
        {isListed && (
          <div className="pop absolute top-full left-0 z-20 mt-1 max-h-72 w-max max-w-[min(24rem,calc(100vw-3rem))] min-w-full overflow-y-auto">
            <Autocomplete.List>
              {(completion: Completion) => (
                <Autocomplete.Item
                  key={printReference(completion)}
                  value={completion}
                  className="pop-item cursor-default py-1"
                  onClick={() => {
                    onPick({ type: completion.type, id: completion.id })
                    setOpen(false)
                  }}
                >
                  <Picture
                    kind={objectKindOf(completion.type)}
                    id={completion.id}
                    name={completion.name ?? completion.id}
                    size={26}
                  />
                  <span className="min-w-0 leading-tight">
                    {completion.name && <span className="block truncate">{completion.name}</span>}
                    <span
                      className={`block truncate font-mono ${completion.name ? 'text-[12px] text-ink3' : 'text-[13px] text-ink'}`}
                    >
                      {type === '' ? printReference(completion) : completion.id}
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

/** Loads completions of a text 150 ms after the last keystroke; earlier ones stay until then. None after a failure. */
function useCompletions(types: readonly string[], text: string, isEnabled: boolean): Completion[] {
  const typeNames = types.join(' ')
  const [result, setResult] = useState<{ typeNames: string; items: Completion[] }>({ typeNames, items: [] })
  useEffect(() => {
    if (!isEnabled) return
    const controller = new AbortController()
    const { signal } = controller
    const timer = setTimeout(async () => {
      const items = await completeObjects(typeNames.split(' '), text, signal).catch(() => [])
      if (!signal.aborted) setResult({ typeNames, items })
    }, 150)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [typeNames, text, isEnabled])
  return result.typeNames === typeNames ? result.items : []
}

/** An object that completes a text; `name` is null outside the directory. */
interface Completion extends ObjectReference {
  name: string | null
}

/** Searches by name, by type of the directory. The object id of a role has slashes for the dots of its name. */
const nameSearches: Record<string, (text: string, signal: AbortSignal) => Promise<Pickable[]>> = {
  'passport/user': searchUsers,
  'passport/group': searchGroups,
  'passport/org': searchOrgs,
  'passport/role': async (text, signal) =>
    (await searchRoles(text, signal)).map((role) => ({ ...role, id: role.id.replaceAll('.', '/') })),
}

/** Finds objects by directory name and, of a single type, by id prefix; those with a name come first. */
async function completeObjects(types: readonly string[], text: string, signal: AbortSignal): Promise<Completion[]> {
  const [type = ''] = types
  const found = await Promise.all([
    ...types.map((type) => findByName(type, text, signal)),
    types.length === 1 && type !== '' ? findById(type, text, signal) : [],
  ])
  return [...new Map(found.flat().map((completion) => [printReference(completion), completion])).values()]
}

async function findByName(type: string, text: string, signal: AbortSignal): Promise<Completion[]> {
  const search = text === '' ? undefined : nameSearches[type]
  return search ? (await search(text, signal)).map(({ id, name }) => ({ type, id, name })) : []
}

async function findById(type: string, prefix: string, signal: AbortSignal): Promise<Completion[]> {
  try {
    const { items } = await call(completeObjectIds, { query: { type, prefix, limit: 10 } }, { signal })
    return items.map((item) => ({ type, ...item }))
  } catch (error) {
    // Then ids must be typed in full.
    if (isUnsupported(error)) return []
    throw error
  }
}
