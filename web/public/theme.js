// Runs before the first paint, so that the other theme does not flash.
try {
  const theme = localStorage.getItem('passport.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage is blocked: the system's theme applies.
}
