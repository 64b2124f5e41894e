import { lazy, Suspense } from 'react'

/** Something that can be picked: a person, a group, an organisation, a role. */
export interface Pickable {
  id: string
  name: string
  /** What tells it from others of its name, such as an e-mail address. */
  about?: string | undefined
  /** Why it cannot be picked, such as “Already a member”. */
  taken?: string | undefined
  /** Drawn with the seal of its id; a role, which has none, is not. */
  hasSeal?: boolean
}

export interface PickerProps {
  label: string
  placeholder?: string
  /** Finds what begins like `text`, which is never empty; at most some ten. Rejects where it could not ask. */
  search: (text: string, signal: AbortSignal) => Promise<Pickable[]>
  picked: Pickable[]
  onPick: (picked: Pickable[]) => void
  error?: string | undefined
}

const Box = lazy(async () => ({ default: (await import('./PickerBox.tsx')).PickerBox }))

/**
 * Picks several by a few letters of their names. What it is made of is loaded when it is first shown.
 *
 *     <Picker label="Add members" search={searchPeople} picked={picked} onPick={setPicked} />
 *     const searchPeople = async (text, signal) => (await call(searchProfiles, { query: { query: text } }, { signal })).items.map(…)
 */
export function Picker(props: PickerProps) {
  return (
    <Suspense fallback={<Waiting label={props.label} />}>
      <Box {...props} />
    </Suspense>
  )
}

function Waiting({ label }: { label: string }) {
  return (
    <div aria-busy="true">
      <span className="mb-1.5 block font-[560]">{label}</span>
      <div className="ctl" />
    </div>
  )
}
