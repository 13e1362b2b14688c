// Cost answers, for every question that it reads from standard input, what evaluating a matchCondition costs the API
// server: its own compiler and environment, and the cost that cel-go has counted.
// One JSON object per line in, one per line out.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"
)

type question struct {
	Expression string         `json:"expression"`
	Variables  map[string]any `json:"variables"`
}

type answer struct {
	Cost  uint64 `json:"cost"`
	Value string `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
}

func main() {
	compiler := cel.NewCompiler(baseEnvironment())
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var asked question
		if err := json.Unmarshal(in.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(costOf(compiler, asked)); err != nil {
			os.Exit(1)
		}
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Up to Kubernetes 1.33 it takes, besides, whether the calls of libraries are counted: they are, by default from 1.32 on.
func baseEnvironment() *environment.EnvSet {
	of := reflect.ValueOf(environment.MustBaseEnvSet)
	given := []reflect.Value{reflect.ValueOf(environment.DefaultCompatibilityVersion()), reflect.ValueOf(true)}
	return of.Call(given[:of.Type().NumIn()])[0].Interface().(*environment.EnvSet)
}

func costOf(compiler cel.Compiler, asked question) answer {
	compiled := compiler.CompileCELExpression(
		&matchconditions.MatchCondition{Name: "c", Expression: asked.Expression},
		cel.OptionalVariableDeclarations{HasAuthorizer: true},
		environment.StoredExpressions,
	)
	if compiled.Error != nil {
		return answer{Error: compiled.Error.Error()}
	}
	value, details, err := compiled.Program.ContextEval(context.Background(), wholeNumbers(asked.Variables))
	said := answer{}
	if details != nil && details.ActualCost() != nil {
		said.Cost = *details.ActualCost()
	}
	if err != nil {
		said.Error = err.Error()
	} else {
		said.Value = fmt.Sprint(value.Value())
	}
	return said
}

// wholeNumbers makes integers of JSON's numbers, as the API server does.
func wholeNumbers(in any) any {
	switch value := in.(type) {
	case map[string]any:
		for key, inner := range value {
			value[key] = wholeNumbers(inner)
		}
	case []any:
		for at, inner := range value {
			value[at] = wholeNumbers(inner)
		}
	case float64:
		if value == float64(int64(value)) {
			return int64(value)
		}
	}
	return in
}
