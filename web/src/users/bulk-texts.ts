import { formatCount } from '../directory/total.ts'

/** Formats “30 users”. */
export const formatUsers = (count: number): string => formatCount(count, ['user', 'users'])

/** Formats the reason why a bulk operation failed for one of its users, as a sentence. */
export const formatBulkFailure = (code: string): string => reasons[code] ?? code
const reasons: Record<string, string> = {
  'user-not-found': 'User not found.',
  'self-demotion': "You can't do this to your own account in bulk.",
  'last-admin': 'At least one active admin is required.',
  'role-not-yours-to-give': "You can't assign this role.",
  'username-taken': 'Username is taken.',
  'email-taken': 'Email is taken.',
  'restore-expired': 'Deleted more than 30 days ago.',
  'changed-since': 'Changed since then.',
  'already-undone': 'Already undone.',
  'internal-error': 'Not processed because of an error. Try again.',
}
