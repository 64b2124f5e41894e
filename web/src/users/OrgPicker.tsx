import { searchOrgs } from '../directory/find-records.ts'
import { type Pickable, Picker } from '../ui/Picker.tsx'

interface OrgPickerProps {
  picked: Pickable[]
  onPick: (orgId: string | undefined) => void
}

/** Picks one organisation; another pick replaces it. */
export function OrgPicker({ picked, onPick }: OrgPickerProps) {
  return (
    <Picker
      label="Organisation"
      placeholder="Name, slug or ID"
      search={searchOrgs}
      picked={picked}
      onPick={(all) => onPick(all.at(-1)?.id)}
    />
  )
}
