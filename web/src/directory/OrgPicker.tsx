import { type Pickable, Picker } from '../ui/Picker.tsx'
import { searchOrgs } from './find-records.ts'

interface OrgPickerProps {
  picked: Pickable[]
  onPick: (orgId: string | undefined) => void
}

/** Picks one organisation from a list, or by its name, slug or id. */
export function OrgPicker({ picked, onPick }: OrgPickerProps) {
  return (
    <Picker
      isListOpen
      label="Organisation"
      placeholder="Name, slug or ID"
      search={searchOrgs}
      picked={picked}
      // Another pick replaces the first.
      onPick={(all) => onPick(all.at(-1)?.id)}
    />
  )
}
