import { PreferenceDetails } from '../directory/PreferenceHistory.tsx'
import { ConflictChoice } from './ConflictChoice.tsx'
import { PreferenceEditor } from './PreferenceEditor.tsx'
import type { RowProps } from './use-rows.ts'

export interface RowPanelProps extends RowProps {
  isChanged: boolean
  keyError: string | undefined
}

/** What is below the line of a preference: the choice of a conflict, the editor, or the value with its history. */
export function RowPanel({ row, actions, ...state }: RowPanelProps) {
  const { conflict, isEditing, saved } = row
  if (conflict) return <ConflictChoice conflict={conflict} onChoose={(choice) => actions.resolve(row, choice)} />
  if (isEditing) return <PreferenceEditor {...{ row, actions }} {...state} />
  return saved && <PreferenceDetails userId="me" saved={saved} onRestore={(value) => actions.save({ ...row, value })} />
}
