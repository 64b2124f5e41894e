import { Picker } from '../ui/Picker.tsx'
import { searchRoles } from './find-records.ts'

interface RolePickerProps {
  label: string
  picked: string[]
  onPick: (picked: string[]) => void
  error?: string | undefined
}

/** The chosen roles as chips, which can be removed, and a search for more. */
export function RolePicker({ label, picked, onPick, error }: RolePickerProps) {
  return (
    <Picker
      label={label}
      placeholder="Name or description"
      search={searchRoles}
      picked={picked.map((name) => ({ id: name, name, kind: 'role' }))}
      onPick={(roles) => onPick(roles.map(({ id }) => id))}
      error={error}
    />
  )
}
