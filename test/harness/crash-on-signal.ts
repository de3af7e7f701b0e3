/** Loaded before the program: SIGUSR2 makes an error that nobody catches, in the way that TEST_CRASH names. */
process.on('SIGUSR2', () => {
  const error = Object.assign(new Error('it is broken'), { to: '01099998888' });
  if (process.env.TEST_CRASH === 'uncaughtException') throw error;
  void Promise.reject(error);
});
