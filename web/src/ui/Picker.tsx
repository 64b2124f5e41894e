import { Suspense } from 'react'
import { lazyPart } from './lazy-part.tsx'
import type { ObjectKind } from './ObjectIcon.tsx'

/** An option of a picker: a user, a group, an organisation or a role. */
export interface Pickable {
  id: string
  name: string
  /** Distinguishes options of the same name, such as an email address. */
  detail?: string | undefined
  /** The reason why it cannot be picked, such as “Already a member”. */
  disabledReason?: string | undefined
  /** The kind of object, for its picture; a user by default. */
  kind?: ObjectKind
  /** The URL of a user's own picture. */
  picture?: string | null | undefined
}

export interface PickerProps {
  label: string
  placeholder?: string
  /** Finds about ten options that begin with `text`, which is not empty. Rejects if the lookup fails. */
  search: (text: string, signal: AbortSignal) => Promise<Pickable[]>
  picked: Pickable[]
  onPick: (picked: Pickable[]) => void
  error?: string | undefined
  /** Lists the first options below the input before anything is typed; `search` then also receives an empty text. */
  isListOpen?: boolean | undefined
}

const Box = lazyPart(async () => (await import('./PickerBox.tsx')).PickerBox)

/**
 * Picks several options by the first letters of their names. Its implementation is loaded when first shown.
 *
 *     <Picker label="Add members" search={searchUsers} picked={picked} onPick={setPicked} />
 *     const searchUsers = async (text, signal) => (await call(searchProfiles, { query: { query: text } }, { signal })).items.map(…)
 */
export function Picker(props: PickerProps) {
  return (
    <Suspense fallback={<PickerPlaceholder {...props} />}>
      <Box {...props} />
    </Suspense>
  )
}

/** The picker without its input; picked options take the same space, so that nothing moves. */
function PickerPlaceholder({ label, picked }: PickerProps) {
  return (
    <div aria-busy="true">
      <span className="mb-1.5 block font-[560]">{label}</span>
      <div className="flex min-h-9 flex-wrap items-center gap-1.5 rounded-ctl border border-edge bg-card p-1 pointer-coarse:min-h-11">
        {picked.map(({ id, name }) => (
          <span
            key={id}
            className="h-7 max-w-full truncate rounded-md bg-well py-0.5 pr-8 pl-2 pointer-coarse:h-10 pointer-coarse:pr-11"
          >
            {name}
          </span>
        ))}
        <span className="h-7 min-w-32 flex-1" />
      </div>
    </div>
  )
}
