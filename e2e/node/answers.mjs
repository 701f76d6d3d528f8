// The answers of the simulated upstreams, for the simulator and for the tests that check them.
export const answers = {
  text: 'Hello from the other side, with an é and a "quote".',
  lookingUp: 'I will look it up.',
  afterTool: 'It is 18 degrees in Paris.',
  count: Array.from({ length: 400 }, (_, i) => `number ${i + 1}`).join(', ') + '.',
  thought: 'The answer is 42.',
  reasoning: 'Six times seven is forty-two.',
  picture: 'A small square.',
  report: { city: 'Paris', degrees: 18 },
};
